import { type GuideName, guideGroups, guidePath } from '@muster/contract/guides.ts'
import MarkdownIt, { type Token } from 'markdown-it'

const names = new Set<string>(guideGroups.flatMap(({ guides }) => Object.keys(guides)))
const titles: Readonly<Record<string, string>> = Object.assign({}, ...guideGroups.map(({ guides }) => guides))

/** A guide as a page. Its text is ours; HTML in it is shown as text all the same. */
export function guidePage(name: GuideName, markdown: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${titles[name]} · Muster</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="/docs/guides.css">
  </head>
  <body>
    <nav aria-label="Documentation">
      <p><a href="/console/">Console</a> · <a href="/docs">API reference</a></p>
      ${guideGroups.map((group) => groupHtml(group, name)).join('\n      ')}
    </nav>
    <main>
${renderer().render(markdown)}    </main>
  </body>
</html>
`
}

function groupHtml({ title, guides }: (typeof guideGroups)[number], current: GuideName): string {
  const items = Object.entries(guides).map(([name, text]) => {
    const mark = name === current ? ' aria-current="page"' : ''
    return `<li><a href="${guidePath(name as GuideName)}"${mark}>${text}</a></li>`
  })
  return `<h2>${title}</h2>\n      <ul>${items.join('')}</ul>`
}

/** Headings get the identifiers that links on code hosts use; links to what is not served here are left as text. */
function renderer() {
  const markdown = new MarkdownIt({ html: false, linkify: false })
  const used = new Map<string, number>()
  markdown.core.ruler.push('addresses', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', slugOf(tokens[index + 1]?.content ?? '', used))
      if (token.type === 'inline') addressLinks(token.children ?? [])
    }
  })
  return markdown
}

function addressLinks(tokens: readonly Token[]): void {
  let isLeftOut = false
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'image') token.attrSet('src', imageAddress(String(token.attrGet('src'))))
    if (token.type === 'link_open') {
      const address = guideAddress(String(token.attrGet('href')))
      isLeftOut = address === undefined
      if (address === undefined) token.tag = 'span'
      token.attrs = address === undefined ? [] : [['href', address]]
    }
    if (token.type === 'text' && tokens[index - 1]?.type === 'link_open') token.content = titleOf(token.content)
    if (token.type === 'link_close' && isLeftOut) token.tag = 'span'
  }
}

/** A link that shows the name of a file shows the title of its guide instead. */
const titleOf = (text: string): string => titles[/^(?:docs\/)?([\w-]+)\.md$/.exec(text)?.[1] ?? ''] ?? text

const imageAddress = (source: string): string => `/docs/images/${source.split('/').at(-1) ?? ''}`

/** Where a link of a guide leads here; undefined for a file that is not served. */
export function guideAddress(href: string): string | undefined {
  if (/^(#|https:)/.test(href)) return href
  const [, file = '', anchor = ''] = /^(?:\.\.\/|docs\/)?([\w./-]+)\.md(#.*)?$/.exec(href) ?? []
  const asked = file.toLowerCase().replaceAll('/', '-')
  // A guide of a folder names its neighbors without it.
  const name = [asked, `sign-in-${asked}`].find((one) => names.has(one))
  return name !== undefined ? `${guidePath(name as GuideName)}${anchor}` : undefined
}

function slugOf(heading: string, used: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  const before = used.get(slug) ?? 0
  used.set(slug, before + 1)
  return before === 0 ? slug : `${slug}-${before}`
}

export const guideStyle = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c1d1f, #e8e8ea);
  --faint: light-dark(#5c5f66, #a2a5ab);
  --line: light-dark(#e3e4e8, #303237);
  --raised: light-dark(#f6f6f8, #1e2023);
  --back: light-dark(#fff, #161719);
}
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 260px minmax(0, 1fr); background: var(--back); color: var(--text);
  font: 15px/1.6 system-ui, sans-serif; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 24px;
  border-right: 1px solid var(--line); font-size: 14px; }
nav h2 { margin: 20px 0 4px; font-size: 12px; font-weight: 600; color: var(--faint); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: block; padding: 3px 0; text-decoration: none; }
nav a[aria-current] { font-weight: 600; }
main { padding: 24px 40px 80px; max-width: 860px; }
a { color: inherit; text-underline-offset: 3px; }
h1 { font-size: 28px; line-height: 1.25; margin: 8px 0 16px; }
h2 { font-size: 20px; margin: 36px 0 8px; }
h3 { font-size: 16px; margin: 24px 0 6px; }
code, pre { font: 13px/1.55 ui-monospace, monospace; }
code { background: var(--raised); padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px; overflow: auto; }
pre code { background: none; padding: 0; white-space: pre-wrap; }
table { display: block; overflow: auto; border-collapse: collapse; }
td:first-child code { white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 6px; }
@media (max-width: 720px) {
  body { display: flex; flex-direction: column; }
  nav { order: 2; position: static; max-height: none; border-right: 0; border-top: 1px solid var(--line); }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 14px; }
  main { padding: 16px 20px 60px; }
}
`
