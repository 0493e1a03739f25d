import { type Html, html } from '../../http/page/html.ts'

export type Shape = 'good' | 'running' | 'waiting' | 'asking' | 'none' | 'blocked' | 'will' | 'notified'

const ring = html`<circle cx="7" cy="7" r="5.75" class="ring"/>`

const shapes: Readonly<Record<Shape, Html>> = {
  good: html`<circle cx="7" cy="7" r="6.5" class="full"/><path d="M4.2 7.2l1.9 1.9 3.7-4" class="cut"/>`,
  running: html`${ring}<path class="spin" d="M7 1.25A5.75 5.75 0 0 1 12.75 7"/>`,
  waiting: html`<circle cx="7" cy="7" r="5.75" class="ring dots"/>`,
  asking: html`${ring}<path d="M5.4 5.6a1.65 1.65 0 1 1 2.5 1.4c-.6.4-.9.6-.9 1.2M7 10.1v.05" class="sign"/>`,
  none: html`${ring}<path d="M4.4 7h5.2" class="sign"/>`,
  blocked: html`<path d="M4.6.7h4.8l3.9 3.9v4.8l-3.9 3.9H4.6L.7 9.4V4.6z" class="full"/><path d="M3.9 7h6.2" class="cut"/>`,
  will: html`<circle cx="7" cy="7" r="6.5" class="full"/><path d="M7 3.6V7l2.2 1.5" class="cut"/>`,
  notified: html`${ring}<circle cx="7" cy="7" r="2.25" class="dot"/>`,
}

/** The shape of a state; its word stands beside it. */
export const mark = (shape: Shape): Html =>
  html`<svg class="st m-${shape}" viewBox="0 0 14 14" aria-hidden="true">${shapes[shape]}</svg>`

const icons = {
  again: 'M20 11a8.1 8.1 0 0 0-15.5-2m-.5-4v4h4M4 13a8.1 8.1 0 0 0 15.5 2m.5 4v-4h-4',
  arrow: 'M6 9l6 6 6-6',
  copy: 'M9.7 7h8.6A2.7 2.7 0 0 1 21 9.7v8.6a2.7 2.7 0 0 1-2.7 2.7H9.7A2.7 2.7 0 0 1 7 18.3V9.7A2.7 2.7 0 0 1 9.7 7zM4 16.7A2 2 0 0 1 3 15V5c0-1.1.9-2 2-2h10c.8 0 1.2.4 1.5 1',
  laptop: 'M3 19h18M5 7a1 1 0 0 1 1-1h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1z',
} as const

export const icon = (name: keyof typeof icons): Html =>
  html`<svg class="i${name === 'arrow' && ' cv'}" viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[name]}"/></svg>`
