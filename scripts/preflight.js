// Runs on whatever Node there is, so it must stay plain JavaScript of an old vintage.
var wanted = 24
var running = Number(process.versions.node.split('.')[0])
if (running < wanted) {
  console.error(
    'Muster runs on Node ' +
      wanted +
      ', which `npm ci` installs inside node_modules, but this is Node ' +
      process.versions.node +
      '. Run `npm ci` again with npm >= 10 and install scripts allowed for the package "node" (npm rebuild node), or use Node ' +
      wanted +
      ' yourself.',
  )
  process.exit(1)
}
