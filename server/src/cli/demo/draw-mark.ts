import { type Html, html } from '../../http/page/html.ts'

export type MarkName = 'good' | 'notified' | 'will_block' | 'blocked' | 'pending' | 'dash'

const thin = html`fill="none" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"`

/** Of each state the shape that the console has for it. */
const shapes: Readonly<Record<MarkName, Html>> = {
  good: html`<circle cx="7" cy="7" r="6.5" fill="var(--good)"/><path d="M4.2 7.2l1.9 1.9 3.7-4" stroke="var(--bg)" ${thin}/>`,
  notified: html`<circle cx="7" cy="7" r="5.75" stroke="var(--notified)" ${thin}/><circle cx="7" cy="7" r="2.25" fill="var(--notified)"/>`,
  will_block: html`<circle cx="7" cy="7" r="6.5" fill="var(--will)"/><path d="M7 3.6V7l2.2 1.5" stroke="var(--bg)" ${thin}/>`,
  blocked: html`<path d="M4.6.7h4.8l3.9 3.9v4.8l-3.9 3.9H4.6L.7 9.4V4.6z" fill="var(--blocked)"/><path d="M3.9 7h6.2" stroke="var(--bg)" stroke-width="1.7" stroke-linecap="round"/>`,
  pending: html`<circle cx="7" cy="7" r="5.75" stroke="var(--idle)" stroke-dasharray="2 2.1" ${thin}/>`,
  dash: html`<circle cx="7" cy="7" r="5.75" stroke="var(--idle)" ${thin}/><path d="M4.4 7h5.2" stroke="var(--idle)" ${thin}/>`,
}

export const drawMark = (name: MarkName): Html =>
  html`<svg class="st" viewBox="0 0 14 14" aria-hidden="true">${shapes[name]}</svg>`
