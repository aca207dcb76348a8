"""Notes, decisions and sign-offs on the pages: written where one looks, listed on the page Review."""
