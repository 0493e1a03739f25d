#!/usr/bin/env node
// Plain JavaScript, and nothing of ours is imported before the check: an older Node cannot read the rest.
import '../../scripts/preflight.js'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Stripping types and compiling are two fifths of a start. A folder that cannot be written is simply not used.
module.enableCompileCache(
  process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../../.cache/compile', import.meta.url)),
)

const { main } = await import('../src/cli/main.ts')
process.exitCode = await main(process.argv.slice(2), process.env)
