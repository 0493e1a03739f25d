import MarkdownIt, { type Token } from 'markdown-it'
import { type Html, html, visibleText } from '../../http/page/html.ts'
import type { FixView } from '../page/page-view.ts'

type Text = string | null | undefined

const isBlank = (text: Text): text is null | undefined | '' => (text ?? '').trim() === ''

const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image')

const drawCommand = (text: string): string =>
  html`<span class="cmd"><code>${text.trim()}</code><button type="button" class="btn sm" data-act="command" aria-label="Copy the command">Copy</button></span>`
    .html

markdown.renderer.rules['command'] = (tokens, index) => drawCommand(tokens[index]?.content ?? '')
markdown.renderer.rules['fence'] = (tokens, index) => drawCommand(tokens[index]?.content ?? '')
markdown.renderer.rules['code_block'] = (tokens, index) => drawCommand(tokens[index]?.content ?? '')
// The titles of things to fix are of the second level.
markdown.renderer.rules['heading_open'] = () => '<h3>'
markdown.renderer.rules['heading_close'] = () => '</h3>'
markdown.renderer.rules['link_open'] = (tokens, index, options, _env, renderer) => {
  tokens[index]?.attrSet('target', '_blank')
  tokens[index]?.attrSet('rel', 'noreferrer')
  return renderer.renderToken(tokens, index, options)
}
markdown.core.ruler.push('commands', ({ tokens }) => {
  for (const { children } of tokens) if (children) liftCommand(children)
})

/** A step that ends with what is to be typed, "Turn it on: `sudo ufw enable`.", shows it on a line of its own. */
function liftCommand(children: Token[]): void {
  const isStop = /^\.?$/.test(children.at(-1)?.content ?? '') && children.at(-1)?.type === 'text'
  const command = children.at(isStop ? -2 : -1)
  const before = children.at(isStop ? -3 : -2)
  if (command?.type !== 'code_inline' || !/\S \S/.test(command.content)) return
  if (!/(:|\brun)\s*$/i.test(before?.content ?? '')) return
  command.type = 'command'
  if (isStop) children.pop()
}

/** Markdown of a check for the owner of a device, as HTML; null where there is none. */
export const drawOwnerText = (text: Text): Html | null => (isBlank(text) ? null : drawTokens(markdown.parse(text, {})))

/** Fix instructions: where they have a part for the system of the device, that one comes first. */
export function drawFix(text: Text, system: string | null): FixView | null {
  if (isBlank(text)) return null
  const tokens = markdown.parse(text, {})
  const starts = tokens.flatMap(({ type, level }, index) => (type === 'heading_open' && level === 0 ? [index] : []))
  const parts = starts.map((start, order) => ({
    system: visibleText(tokens[start + 1]?.content ?? ''),
    tokens: tokens.slice(start + 3, starts[order + 1]),
  }))
  const own = parts.filter((part) => isFor(part.system, system))
  const [chosen] = own
  if (own.length !== 1 || !chosen) return { system: null, steps: drawTokens(tokens), others: [] }
  const others = parts.filter((part) => part !== chosen)
  return {
    system: chosen.system,
    steps: drawTokens([...tokens.slice(0, starts[0]), ...chosen.tokens]),
    others: others.map((part) => ({ system: part.system, steps: drawTokens(part.tokens) })),
  }
}

/** "Ubuntu and Debian" is for Debian GNU/Linux 12. */
function isFor(title: string, system: string | null): boolean {
  const [name = ''] = (system ?? '').split(/[\s/]/, 1)
  return name !== '' && title.toLowerCase().includes(name.toLowerCase())
}

const drawTokens = (tokens: Token[]): Html => ({
  html: visibleText(markdown.renderer.render(tokens, markdown.options, {})),
})
