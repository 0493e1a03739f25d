// Runs in front of the npm scripts on whatever Node there is, so it is plain JavaScript that Node 14 reads.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const pinned = JSON.parse(readFileSync(`${root}package.json`, 'utf8')).dependencies.node
const running = process.versions.node
const major = (version) => Number(version.split('.')[0])

/** What to do before Muster can run, or undefined when nothing stands in the way. */
function advice() {
  if (!existsSync(`${root}node_modules`)) return `the packages are not installed yet: run \`npm ci\` in ${root}`
  if (major(running) >= major(pinned)) return undefined
  const need = `it needs Node ${major(pinned)} and this is ${running}.`
  if (existsSync(`${root}node_modules/.bin/node`)) {
    return `${need} The pinned Node ${pinned} is in node_modules/.bin: use an npm script, or put that folder first in PATH`
  }
  return (
    `${need} The pinned Node ${pinned} did not install, because the install script of the package "node" was refused or` +
    ` failed: run \`npm rebuild node --ignore-scripts=false\`, or put a Node ${major(pinned)} of your own first in PATH`
  )
}

const fault = advice()
if (fault) {
  console.error(`Muster cannot start: ${fault}.`)
  // Not only the code: the module that imports this one would continue, and fail with a stack trace.
  process.exit(1)
}
