# Every npm script runs this first, because without the dependencies it would fail with a stack trace of Node.
# The dependencies bring the Node that runs the scripts, so this file is for the shell.
[ -x node_modules/.bin/node ] && exit 0
echo 'The dependencies are not installed, or not completely: run npm ci, then try again.' >&2
exit 1
