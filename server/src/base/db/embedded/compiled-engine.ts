import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/** A part of the global that is used here; its types come with those of browsers. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> }

/** A `WebAssembly.Module`, which threads can be given. */
export type CompiledEngine = object

/**
 * What a function of the engine executes, roughly in bytes, until V8 optimizes it. By V8's own budget of 13 MB it does so in the
 * first moments with the largest, which takes 450 MB and as much processor time as a whole command.
 */
const budgetBytes = 1_000_000_000

let compiling: Promise<CompiledEngine> | undefined

/**
 * The engine's code, kept as long as the process lives. V8 compiles each function when it is first called, and what is called
 * often once more: threads that share a module share all of that, and would otherwise begin anew when no engine is open.
 */
export function compiledEngine(): Promise<CompiledEngine> {
  compiling ??= compile().catch((error: unknown) => {
    compiling = undefined
    throw error
  })
  return compiling
}

async function compile(): Promise<CompiledEngine> {
  setFlagsFromString(`--wasm-tiering-budget=${budgetBytes}`)
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  return WebAssembly.compile(await readFile(join(folder, 'pglite.wasm')))
}
