import { maxCounted } from '@muster/contract/max-counted.ts'

/** `1,942`; counts end somewhere, and say so. */
export const countText = (count: number): string =>
  `${count.toLocaleString('en')}${count >= maxCounted ? ' or more' : ''}`

type Pending = { readonly waiting: number; readonly retrying: number; readonly is_more_pending: boolean }

/** What is pending in two counts, which are the least there are where more is pending than is counted. */
export const pendingText = (view: Pending, which: 'waiting' | 'retrying'): string =>
  `${view[which].toLocaleString('en')}${view.is_more_pending ? ' or more' : ''}`
