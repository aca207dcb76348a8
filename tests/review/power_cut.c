/* What a disk holds after a power cut: of each file in POWER_DIR only what was synced, and a file that was deleted until
   the folder was synced, too. At each fsync and fdatasync the file is copied to POWER_KEPT under its own name, whole or
   not at all; a test kills the process and puts these copies in place of the files.
   POWER_FAIL=N: the Nth write or sync of a file in POWER_DIR and all after it fail with EIO, as on a dying disk;
   POWER_FAIL=N+1: only the Nth. Compiled with: cc -shared -fPIC -o power_cut.so power_cut.c -ldl */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget(const char *dir, const char *to) { /* the deletions in a folder that was synced */
    char here[PATH_MAX], kept[PATH_MAX];
    DIR *all = opendir(to);
    if (!all) return;
    for (struct dirent *one; (one = readdir(all));) {
        if (one->d_name[0] == '.') continue;
        snprintf(here, sizeof here, "%s/%s", dir, one->d_name);
        snprintf(kept, sizeof kept, "%s/%s", to, one->d_name);
        if (access(here, F_OK) != 0) unlink(kept);
    }
    closedir(all);
}

static void keep(int fd) {
    char link[64], path[PATH_MAX], made[PATH_MAX], kept[PATH_MAX], part[65536];
    const char *dir = getenv("POWER_DIR"), *to = getenv("POWER_KEPT");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!dir || !to || length < 0) return;
    path[length] = 0;
    if (strcmp(path, dir) == 0) forget(dir, to);
    if (strncmp(path, dir, strlen(dir)) != 0 || path[strlen(dir)] != '/') return;
    const char *name = strrchr(path, '/') + 1;
    snprintf(kept, sizeof kept, "%s/%s", to, name);
    snprintf(made, sizeof made, "%s/.new-%s", to, name);
    int from = open(path, O_RDONLY), out = open(made, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (from < 0 || out < 0) return;
    for (ssize_t n; (n = read(from, part, sizeof part)) > 0;)
        if (write(out, part, (size_t)n) != n) _exit(99);
    close(from);
    close(out);
    rename(made, kept);
}

static int dies(int fd) { /* whether this write or sync fails */
    static int count = 0;
    char link[64], path[PATH_MAX];
    const char *dir = getenv("POWER_DIR"), *at = getenv("POWER_FAIL");
    if (!dir || !at) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, dir, strlen(dir)) != 0) return 0;
    count++;
    if (strchr(at, '+') ? count != atoi(at) : count < atoi(at)) return 0;
    errno = EIO;
    return 1;
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
    if (dies(fd)) return -1;
    return ((ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(fd, from, size, at);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
    if (dies(fd)) return -1;
    return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(fd, from, size, at);
}

int fsync(int fd) {
    if (dies(fd)) return -1;
    keep(fd);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
    if (dies(fd)) return -1;
    keep(fd);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
