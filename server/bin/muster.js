#!/usr/bin/env node
// Plain JavaScript, and nothing of ours is imported before the check: an older Node cannot read the rest.
import '../../scripts/preflight.js'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { bundleFolder } from './bundle-stamp.js'
import { keepLittleFree } from './keep-little-free.js'
import { mapStackTraces } from './map-stack-traces.js'

// A trial is one process on somebody's own machine.
if (process.argv[2] === 'start') keepLittleFree()

// Stripping types and compiling are two fifths of a start. A folder that cannot be written is simply not used.
module.enableCompileCache(
  process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../../.cache/compile', import.meta.url)),
)

// As few files, made at install; from the sources when they have changed since.
const bundle = bundleFolder()
const isBundled = process.env.MUSTER_FROM_SOURCE === undefined && existsSync(bundle)
if (isBundled) mapStackTraces(bundle)

const { main } = isBundled ? await import(`${bundle}/main.mjs`) : await import('../src/cli/main.ts')
process.exitCode = await main(process.argv.slice(2), process.env)
