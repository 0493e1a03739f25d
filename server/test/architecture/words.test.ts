import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const words = await readFile(`${root}WORDS.md`, 'utf8')

const sectionOf = (title: string): string => words.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
const identifiers = [...sectionOf('Retired identifiers').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
const phrases = [...sectionOf('Retired phrases').matchAll(/^- (.+)$/gm)].map(([, phrase = '']) => phrase)

const code = ['{agent,client,console,contract,scripts,server}/**/*.{ts,tsx}']
const prose = ['*.md', 'docs/*.md', 'client/*.md', 'console/src/**/*.{ts,tsx}', 'contract/src/**/*.ts']
const isLeftOut = (path: string): boolean =>
  /(^|\/)(node_modules|dist|generated)\//.test(path) || ['WORDS.md', 'CHANGELOG.md'].includes(path)

async function findIn(patterns: string[], word: RegExp): Promise<string[]> {
  const paths = (await Array.fromAsync(glob(patterns, { cwd: root }))).filter((path) => !isLeftOut(path))
  assert.ok(paths.length > 20, 'the files are found')
  const found = await Promise.all(
    paths.map(async (path) => {
      const lines = (await readFile(root + path, 'utf8')).split('\n')
      return lines.flatMap((line, index) => (word.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []))
    }),
  )
  return found.flat()
}

test('no retired identifier is in the code', async () => {
  assert.ok(identifiers.length > 5)
  assert.deepEqual(await findIn(code, new RegExp(`\\b(${identifiers.join('|')})\\b`)), [])
})

test('no retired phrase is in the documents, the console or the contract', async () => {
  assert.ok(phrases.length > 5)
  assert.deepEqual(await findIn(prose, new RegExp(`\\b(${phrases.join('|')})\\b`, 'i')), [])
})
