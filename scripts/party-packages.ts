import { fileURLToPath } from 'node:url'
import { readNeeds } from './test-run/parties.ts'

/** Prints the packages of Debian that `npm test -- --strangers` needs, for `apt-get install`. */
const needs = await readNeeds(fileURLToPath(new URL('..', import.meta.url)))
const packages = new Set(needs.map((need) => need.package).filter((name) => name !== undefined))
console.log([...packages].sort().join(' '))
