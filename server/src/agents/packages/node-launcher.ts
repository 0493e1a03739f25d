/** What a launcher ends with where there is no Node to run on: no restart would change that. */
export const exitWithoutNode = 78

export type LaunchedProgram = {
  /** Below the folder of the package. */
  program: string
  /** The lowest major version of Node that it runs on. */
  lowestNode: number
}

/** Shell text that runs a program of the package on the Node that came along, else on one of the device. */
export const nodeLauncher = (name: string, { program, lowestNode }: LaunchedProgram): string => `#!/bin/sh
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
node=$here/bin/node
if [ ! -x "$node" ]; then
  node=$(command -v node || true)
  if [ -z "$node" ] || ! "$node" -e 'process.exit(Number(process.versions.node.split(".")[0]) < ${lowestNode} ? 1 : 0)'; then
    echo '${name}: it needs Node ${lowestNode} or later: install it, then restart the service' >&2
    exit ${exitWithoutNode}
  fi
fi
exec "$node" "$here/${program}" "$@"
`
