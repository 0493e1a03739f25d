import { type Html, html } from '../../http/page/html.ts'
import { detectionReasons } from '../reasons/detection-reasons.ts'
import { codeLink, drawCodeForm } from './draw-code.ts'
import { drawState } from './draw-state.ts'
import { drawTest, isTest } from './draw-test.ts'
import { drawWay } from './draw-way.ts'
import { icon } from './marks.ts'
import type { Drawn, PageAssets, PageView } from './page-view.ts'

/** The part of the page below its logo, which the script replaces when the state changes. */
export function drawRegion(view: PageView): string {
  const { state, applicationName, finishUrl, waitsUntil, now } = view
  const { title, tab, lead, content, buttons, small } = drawnOf(view)
  const name = tab ?? (typeof title === 'string' ? title : applicationName)
  const goes = ['passed', 'observed'].includes(state) && !isTest(view)
  const left = Date.parse(waitsUntil) - Date.parse(now)
  const region = html`<div id="region" data-state="${state}" data-revision="${view.revision}" data-reason="${view.reason}"${view.reason && detectionReasons[view.reason].page.wayOn === 'repair' && html` data-stays="1"`} data-tab="${tabOf(name, applicationName)}"
 data-rechecking="${view.isRechecking ? '1' : ''}" data-left="${left}"${goes && html` data-finish="${finishUrl}"`}${state === 'warning' && !isTest(view) && html` data-ready="${finishUrl}"`}>
${!isTest(view) && drawWay(view)}
<h1 tabindex="-1">${title}</h1>
<p class="lead" role="status">${lead}</p>
${content}
${buttons && html`<div class="go">${buttons}</div>`}
${small && html`<p class="after">${small}</p>`}${view.code?.isGiven && view.code.reason === null && html`<p class="after">IT made a code for you. ${codeLink(view)}</p>`}
${view.isFactor && mayGoBack.has(state) && drawBack(view)}
</div>`
  return region.html
}

const drawnOf = (view: PageView): Drawn => (isTest(view) ? drawTest(view) : drawState[view.state](view))

/** Where a person may wait who has another way. */
const mayGoBack: ReadonlySet<PageView['state']> = new Set([
  ...(['no_answer', 'linking', 'unknown_person', 'register', 'ask_it', 'awaiting_approval', 'denied'] as const),
  ...(['not_your_device', 'unfinished', 'blocked', 'keeps_asking', 'ended'] as const),
])

const drawBack = ({ id, kind, applicationName }: PageView): Html =>
  html`<form method="post" action="/signin/${id}/cancel" class="after"><p>Can’t use this ${kind} now? ${applicationName} asks you for another method, if your organization allows one.</p>
<div class="go"><button class="btn">Sign in another way</button></div></form>`

const tabOf = (name: string, applicationName: string): string =>
  name.includes(applicationName) ? name : `${name} · ${applicationName}`

/** The whole page of a sign-in. */
export function drawPage(view: PageView, assets: PageAssets): string {
  const data = html`data-session="${view.id}" data-ports="${view.ports.join(' ')}" data-prompt="${view.mayPrompt ? '1' : ''}"
 data-managed="${view.isManagedBrowser ? '1' : ''}" data-bounce="${view.bouncePort}" data-in="${view.surroundings}" data-known="${view.knownPort}" data-help="${grouped(view.helpCode)}" data-browser="${nameOf(view.browser)}"
 data-finish-later="${view.mayPrompt ? '' : view.finishUrl}"`
  const later = statesOfPage(view).map(
    (state) => html`<template id="${state}">${{ html: drawRegion({ ...view, state }) }}</template>`,
  )
  const body = html`<main class="gate" ${data}>${logo(view.organizationName)}${{ html: drawRegion(view) }}
<p class="vh" role="status" id="news"></p>${later}
<noscript><p class="after">${noScript(view)}</p></noscript></main>${!isTest(view) && drawFoot(view)}`
  const region = drawnOf(view)
  const name = region.tab ?? (typeof region.title === 'string' ? region.title : view.applicationName)
  return documentOf(tabOf(name, view.applicationName), body, assets)
}

const nameOf = ({ name, version, system }: PageView['browser']): string =>
  `${[name, version].filter((part) => part !== '').join(' ')} on ${system}`

const isLooking = ({ state }: PageView): boolean => ['looking', 'no_answer', 'linking'].includes(state)

/** What the script may have to show without the server. */
const statesOfPage = (view: PageView) =>
  isLooking(view) ? (['permission', 'fault', 'offline', 'ended'] as const) : (['fault', 'offline', 'ended'] as const)

const noScript = (view: PageView): string =>
  isLooking(view)
    ? `This page needs JavaScript to ask the Muster app which ${view.kind} this is. Turn it on for this site, then load the page again.`
    : 'Without JavaScript this page does not change by itself: load it again to see what is new.'

const grouped = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

function drawFoot(view: PageView): Html {
  const { id, address, helpCode, organizationName } = view
  return html`<footer class="ft">${address !== '' && html`<span>${address}</span>`}<button type="button" class="lk" popovertarget="checked">What is checked</button>
<button type="button" class="lk" popovertarget="help">Get help</button><span>Help code ${grouped(helpCode)}</span></footer>
<section popover id="checked" class="pop" aria-labelledby="checked-title"><h2 id="checked-title">What is checked</h2>${drawChecks(view)}
<button type="button" class="btn" popovertarget="checked" popovertargetaction="hide">Close</button></section>
<section popover id="help" class="pop" aria-labelledby="help-title"><h2 id="help-title">Get help</h2>
<p>Ask IT at ${organizationName}, and give them the help code <b class="nw">${grouped(helpCode)}</b>. They find this sign-in by it; it opens nothing.</p>
<div class="go">${codeLink(view, { isButton: true })}<button type="button" class="btn" data-act="copy">${icon('copy')}Copy details</button>
<form method="post" action="/signin/${id}/cancel"><button class="btn">Cancel this sign-in</button></form>
<button type="button" class="btn" popovertarget="help" popovertargetaction="hide">Close</button></div></section>`
}

function drawChecks({ checkNames, organizationName, kind }: PageView): Html {
  if (checkNames === null || checkNames.length === 0) {
    return html`<p>${organizationName} checks settings that protect this ${kind}, for example that its disk is encrypted and its system is up to date.</p>`
  }
  return html`<p>${organizationName} checks on this ${kind}:</p><ul class="checks">${checkNames.map((name) => html`<li>${name}</li>`)}</ul>`
}

/** The page for a code from IT. It holds no sign-in that the script would watch, so that nothing changes while it is typed. */
export function drawCodePage(view: PageView, { isWrong }: { isWrong: boolean }, assets: PageAssets): string {
  const { title, lead, content, buttons } = drawCodeForm(view, { isWrong })
  const body = html`<main class="gate">${logo(view.organizationName)}<div id="region">${drawWay(view)}
<h1 tabindex="-1">${title}</h1><p class="lead">${lead}</p>${content}<div class="go">${buttons}</div></div></main>`
  return documentOf(tabOf(String(title), view.applicationName), body, assets)
}

/** The page that a browser comes back to from the agent, with the proof behind the # of its address. */
export const drawReturnPage = (assets: PageAssets): string =>
  documentOf(
    'Muster',
    html`<main class="gate" data-return="1"><div id="region"><h1 tabindex="-1">Checking this computer</h1><p class="lead" role="status"></p></div>
<template id="elsewhere"><h1 tabindex="-1">Start from the app again</h1><p class="lead" role="status">This sign-in began in another browser.</p></template>
<noscript><p class="after">This page needs JavaScript. Turn it on for this site, then open the app again.</p></noscript></main>`,
    assets,
  )

/** Where to begin once more, as far as the server knows it. */
export type Again = { applicationName: string; startUrl: string | null }

/** A page that says one thing, with one way on at most. */
export type Message = { title: string; text: string; button?: { text: string; href: string } | undefined }

export const drawMessage = ({ title, text, button }: Message, assets: PageAssets): string =>
  documentOf(
    title,
    html`<main class="gate"><div id="region"><h1 tabindex="-1">${title}</h1><p class="lead">${text}</p>${
      button && html`<div class="go"><a class="btn p" href="${button.href}">${button.text}</a></div>`
    }</div></main>`,
    assets,
  )

/** A page that says why a sign-in cannot continue, and leads to the application again. */
export function drawFault(title: string, text: string, assets: PageAssets, again?: Again): string {
  const way = `Open ${again?.applicationName} again`
  if (again?.startUrl) return drawMessage({ title, text, button: { text: way, href: again.startUrl } }, assets)
  return drawMessage({ title, text: again?.startUrl === null ? `${text} ${way}.` : text }, assets)
}

const logo = (organizationName: string): Html =>
  html`<div class="logo"><span class="mk" aria-hidden="true">${[...organizationName.trim()][0]?.toUpperCase()}</span>${organizationName}</div>`

function documentOf(title: string, body: Html, { script, modules, style, font, notice }: PageAssets): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin><link rel="stylesheet" href="${style}">
${modules.map((module) => html`<link rel="modulepreload" href="${module}">`)}<script type="module" src="${script}"></script></head><body>${notice && html`<aside class="demo" aria-label="Demo">${notice}</aside>`}${body}</body></html>`
  return page.html
}
