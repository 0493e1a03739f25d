import { createHash } from 'node:crypto'
import { type Html, html } from '../../http/page/html.ts'
import { pageHeaders } from '../../http/page/page-headers.ts'
import type { PageAssets } from './page-view.ts'

/** An answer that the browser brings to its receiver by a form. */
export type AnswerView = {
  title: string
  text: string
  /** What its button says. */
  button: string
  action: string
  fields: Readonly<Record<string, string>>
  /** Nobody has to read it: the form is sent at once. */
  isAutomatic: boolean
}

const script = 'document.forms[0].submit()'
const scriptHash = createHash('sha256').update(script).digest('base64')

/** Of the page that brings an answer; its receiver sees our address, and nothing behind it. */
export const answerHeaders = ({ isAutomatic }: AnswerView): Record<string, string> => ({
  ...pageHeaders({
    ...{ 'style-src': "'self'", 'font-src': "'self'" },
    ...(isAutomatic && { 'script-src': `'sha256-${scriptHash}'` }),
    ...{ 'require-trusted-types-for': "'script'", 'trusted-types': "'none'", forms: 'anywhere' },
  }),
  'referrer-policy': 'strict-origin',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
})

/** As it was given: the receiver compares it. */
const exact = (text: string): Html => ({
  html: text.replace(/[&<>"'`\r\n]/g, (character) => `&#${character.charCodeAt(0)};`),
})

/** The page that brings an answer (OAuth 2.0 Form Post Response Mode §2). */
export function drawAnswer(view: AnswerView, { style, font }: PageAssets): string {
  const { title, text, button, action, fields, isAutomatic } = view
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${exact(value)}">`,
  )
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin><link rel="stylesheet" href="${style}"></head>
<body><main class="gate"><div id="region"><h1 tabindex="-1">${title}</h1><p class="lead" role="status">${text}</p>
<form method="post" action="${action}">${inputs}<div class="go"><button class="btn ${isAutomatic ? 'late' : 'p'}">${button}</button></div></form></div></main>
${isAutomatic && html`<script>${{ html: script }}</script>`}</body></html>`
  return page.html
}
