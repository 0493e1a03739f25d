import { readFileSync } from 'node:fs'
import { type Html, html } from '../../http/page/html.ts'
import type { PartyAnswer } from './open-site.ts'

const madeUp = 'Demo. The people, laptops, app and sign-in service are made up. All of it goes away when you stop'

/** On every page of the demo. */
export const demoNotice = `${madeUp} muster demo.`

const mark = html`<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" aria-hidden="true"><path d="M4 4v12M8 4v12M12 4v12M16 4v12"/><path d="M1.5 14.5L18.5 5.5"/></svg>`

type Page = {
  party: string
  title: string
  body: Html
  status?: number
  hasMark?: boolean
  /** Its script finds out what the page is to show. */
  live?: { asks: string }
}

/** A whole page of one of the demo's own services. */
export function drawDocument({ party, title, body, status, live, hasMark }: Page): PartyAnswer {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${title}</title>
<link rel="stylesheet" href="/demo/assets/demo.css">${live && html`<script src="/demo/assets/demo.js" type="module"></script>`}</head>
<body><aside class="demo" aria-label="Demo">${madeUp} <b>muster demo</b>.</aside>
<header><span class="mark">${hasMark ? mark : party.charAt(0)}</span>${party}</header>
<main>${body}</main></body></html>`
  return { ...(status !== undefined && { status }), ...live, type: 'text/html; charset=utf-8', text: page.html }
}

const files: Readonly<Record<string, { type: string; address: string }>> = {
  '/demo/assets/demo.css': { type: 'text/css; charset=utf-8', address: './assets/demo.css' },
  '/demo/assets/demo.js': { type: 'text/javascript; charset=utf-8', address: './assets/demo.js' },
  '/demo/assets/inter.woff2': { type: 'font/woff2', address: '../../sign-in/page/assets/inter-latin.woff2' },
}

/** The files of the pages; undefined for any other path. */
export function assetAt(path: string): PartyAnswer | undefined {
  const file = files[path]
  return file && { type: file.type, text: readFileSync(new URL(file.address, import.meta.url)) }
}
