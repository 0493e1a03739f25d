import MarkdownIt, { type Token } from 'markdown-it'
import { createElement, Fragment, type ReactNode } from 'react'
import { visibleLines, visibleText } from './visible-text.ts'

/** CommonMark, in which HTML is text; what is nested deeper is text as well. */
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: 20 })
// What leads nowhere else stays the text that it is.
parser.validateLink = (address) => /^(?:https?:\/\/|mailto:)/i.test(address.trim())

/** It is laid out in some milliseconds; what is longer is no text for people, and is shown as it was written. */
const longest = 30_000

const blocks = ['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em'] as const

/** A text in Markdown as elements of React: there is no HTML on the way that could be taken for more than it is. */
export function markdownElements(text: string): ReactNode {
  if (text.length > longest) return visibleLines(text)
  return elementsOf(parser.parse(text, {}))
}

type Open = { readonly token: Token; readonly children: ReactNode[] }

/** Tokens that open and close what stands between them, as a tree. */
function elementsOf(tokens: readonly Token[]): ReactNode[] {
  const top: ReactNode[] = []
  const stack: Open[] = []
  const add = (node: ReactNode) => (stack.at(-1)?.children ?? top).push(node)
  for (const [key, token] of tokens.entries()) {
    if (token.nesting === 1) stack.push({ token, children: [] })
    else if (token.nesting === 0) add(<Fragment key={key}>{leafOf(token)}</Fragment>)
    else {
      const closed = stack.pop()
      if (closed) add(<Fragment key={key}>{elementOf(closed)}</Fragment>)
    }
  }
  return top
}

function elementOf({ token, children }: Open): ReactNode {
  if (token.type === 'heading_open') return <h3>{children}</h3>
  if (token.type === 'link_open') return <Outward address={String(token.attrGet('href') ?? '')}>{children}</Outward>
  // The paragraphs of a list without blank lines are not shown as such.
  if (token.hidden) return children
  const tag = blocks.find((name) => name === token.tag)
  if (tag === undefined) return children
  const start = Number(token.attrGet('start') ?? 1)
  return createElement(tag, tag === 'ol' && start !== 1 ? { start } : {}, ...children)
}

const Outward = ({ address, children }: { address: string; children: ReactNode }) => (
  <a
    className="underlined"
    href={address}
    title={visibleText(address)}
    target="_blank"
    rel="noopener noreferrer nofollow"
  >
    {children}
  </a>
)

function leafOf(token: Token): ReactNode {
  switch (token.type) {
    case 'inline':
      return elementsOf(token.children ?? [])
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return <br />
    case 'hr':
      return <hr />
    case 'code_inline':
      return <code>{visibleText(token.content)}</code>
    case 'fence':
    case 'code_block':
      return (
        <pre className="pre">
          <code>{visibleLines(token.content)}</code>
        </pre>
      )
    // An image would be asked for elsewhere: what it shows is said instead.
    default:
      return visibleText(token.content)
  }
}
