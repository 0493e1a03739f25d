import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import type { PageAssets } from './page-view.ts'

export type Asset = { type: string; bytes: Buffer; packed: Buffer | undefined }

/** A file that names another one comes after it. */
const names = {
  font: 'inter-latin.woff2',
  style: 'sign-in.css',
  modules: [
    ...['browser-facts.js', 'server-calls.js', 'times.js', 'keep-place.js', 'region.js'],
    ...['reasons.js', 'ask-agents.js', 'other-way.js', 'news.js', 'person-acts.js'],
  ],
  script: 'sign-in.js',
} as const

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
}

const read = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url))

/** Comments on lines of their own, and the room before a line, are for those who read the source. */
const readText = (name: string): string =>
  read(name)
    .toString()
    .replace(/^\s*\/\*\*?\s(?:[^*]|\*(?!\/))*\*\/\n|^\s*\/\/.*\n|^[ \t]+/gm, '')

/** The files of the page under names that change with what they hold. */
export function openAssets(): { assets: PageAssets; files: ReadonlyMap<string, Asset> } {
  const files = new Map<string, Asset>()
  const hashedNames = new Map<string, string>()
  const add = (name: string): string => {
    const [stem, end = ''] = name.split('.')
    const bytes = end === 'woff2' ? read(name) : Buffer.from(withHashedNames(readText(name), hashedNames))
    const hashed = `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${end}`
    const packed = end === 'woff2' ? undefined : brotliCompressSync(bytes)
    files.set(hashed, { type: types[end] ?? '', bytes, packed })
    hashedNames.set(name, hashed)
    return `/signin/assets/${hashed}`
  }
  const font = add(names.font)
  const style = add(names.style)
  const modules = names.modules.map(add)
  return { assets: { font, style, modules, script: add(names.script) }, files }
}

/** An import or an address of a file beside it, `./region.js`, under the name that it is served by. */
const withHashedNames = (text: string, hashedNames: ReadonlyMap<string, string>): string =>
  text.replace(/(['"(])\.\/([\w-]+\.\w+)(?=['")])/g, (_match, before: string, name: string) => {
    const hashed = hashedNames.get(name)
    if (hashed === undefined) throw new Error(`${name} is used before it is added`)
    return `${before}./${hashed}`
  })
