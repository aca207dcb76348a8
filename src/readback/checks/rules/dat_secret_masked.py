"""A secret in a configuration is masked.

The value of a key whose name ends in api_key, apikey, password, secret or token. It is shown as [masked].

Whoever sees the page or a report sees the configuration. The file itself still holds the secret, and so does every copy
and commit of it.

Take the secret out of the file and give it to the program through its environment.
"""

CODE = "dat-secret-masked"
SEVERITY = "info"
ON = "load"
SENTENCE = "the value of '{key}' is masked"
FIX = "take the secret out of the file"
JUDGE = "name: j\nprompt: '{{QUESTION}}'\n"
SECRET = {
    "readback.yml": "judges: {j: {prompts: j.yml}}\n",
    "j.yml": JUDGE + "inference: {model: m, api_key: s3cr3t}\n",
}
PASS = ({"readback.yml": "judges: {j: {prompts: j.yml}}\n", "j.yml": JUDGE},)
FAIL = (SECRET,)
