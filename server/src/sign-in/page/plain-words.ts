import { type Html, html } from '../../http/page/html.ts'

/** How the script writes a time in the person's zone: `8:47 PM`, or `Sunday, 9:14 PM`. */
type TimeForm = 'clock' | 'day'

/** A time in UTC, which the script rewrites in the person's zone before anything is seen. */
export const time = (moment: string, form: TimeForm = 'clock'): Html =>
  html`<time datetime="${moment}" data-form="${form}">${
    form === 'clock' ? moment.slice(11, 16) : moment.slice(0, 16).replace('T', ' ')
  } UTC</time>`

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export const things = (count: number): string => counted(count, 'thing')

export const minutesBetween = (from: string, to: string): number =>
  Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 60_000))

/** Halden’s, Halden Instruments’. */
export const possessive = (name: string): string => `${name}${/s$/i.test(name) ? '’' : '’s'}`
