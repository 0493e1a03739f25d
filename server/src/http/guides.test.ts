import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { guidePath } from '@muster/contract/guides.ts'
import { testApp } from '../../test/support/app.ts'
import { guideAddress } from './guide-page.ts'
import { guideFile, guideNames } from './guide-routes.ts'

const { ask } = testApp()

test('every guide of docs/ is served, and named in the contents of each page', async () => {
  const docs = ['', 'sign-in/'].map((folder) => readdir(new URL(`../../../docs/${folder}`, import.meta.url)))
  const files = (await Promise.all(docs)).flat().filter((file) => file.endsWith('.md'))
  const served = guideNames.map((name) => guideFile(name).pathname.split('/').at(-1))
  assert.deepEqual(
    files.filter((file) => !served.includes(file)),
    [],
  )
  for (const name of guideNames) {
    const { status, headers, body } = await ask('GET', guidePath(name), { key: undefined })
    assert.deepEqual([name, status, headers['content-type']], [name, 200, 'text/html; charset=utf-8'])
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.match(body, /<h1 id="[^"]+">/)
    assert.ok(guideNames.every((other) => body.includes(`href="${guidePath(other)}"`)))
    assert.ok(body.includes(`href="${guidePath(name)}" aria-current="page"`))
  }
  assert.equal((await ask('GET', '/docs/guides/nothing', { key: undefined })).status, 404)
  assert.equal((await ask('GET', '/docs/guides/..%2fREADME', { key: undefined })).status, 404)
})

test('links between guides lead to what is there, down to the heading, and images are served', async () => {
  const pages = new Map<string, string>()
  for (const name of guideNames)
    pages.set(guidePath(name), (await ask('GET', guidePath(name), { key: undefined })).body)
  const broken = [...pages].flatMap(([path, body]) =>
    [...body.matchAll(/<a href="([^"]+)"/g)].flatMap(([, href = '']) => {
      if (href.startsWith('https:') || !href.includes('#')) return []
      const [page = '', anchor = ''] = href.split('#')
      const target = pages.get(page === '' ? path : page)
      return target?.includes(` id="${anchor}"`) ? [] : [`${path} ${href}`]
    }),
  )
  assert.deepEqual(broken, [])
  const images = new Set(
    [...pages.values()].flatMap((body) => [...body.matchAll(/<img src="([^"]+)"/g)].map(([, src]) => src)),
  )
  assert.ok(images.size > 0)
  for (const src of images) assert.equal((await ask('GET', String(src), { key: undefined })).status, 200, src)
  assert.equal((await ask('GET', '/docs/images/nothing.png', { key: undefined })).status, 404)
})

test('a link to a file that is not served is text', async () => {
  assert.equal(guideAddress('checks.md#states'), '/docs/guides/checks#states')
  assert.equal(guideAddress('../README.md'), '/docs/guides/readme')
  assert.equal(guideAddress('docs/api.md'), '/docs/guides/api')
  assert.equal(guideAddress('sign-in/entra.md#keys'), '/docs/guides/sign-in-entra#keys')
  assert.equal(guideAddress('decisions/0015-sqlite-reads-osquery-sql.md'), undefined)
  assert.equal(guideAddress('javascript:alert(1)'), undefined)
  assert.match((await ask('GET', '/docs/guides/checks', { key: undefined })).body, />Custom checks<\/a>\./)
})

test('the README has at most 150 lines and leads to every guide', async () => {
  const readme = await readFile(guideFile('readme'), 'utf8')
  assert.ok(readme.trimEnd().split('\n').length <= 150)
  // Those of docs/sign-in/ are reached from docs/sign-in.md.
  const named = guideNames.filter((name) => name !== 'readme' && !name.startsWith('sign-in-'))
  const files = named.map((name) => guideFile(name).pathname.slice(guideFile('readme').pathname.lastIndexOf('/') + 1))
  assert.deepEqual(
    files.filter((file) => !readme.includes(`](${file})`)),
    [],
  )
})
