import { mostCounted } from '@muster/contract/most-counted.ts'

/** `1,942`; counts end somewhere, and say so. */
export const countText = (count: number): string =>
  `${count.toLocaleString('en')}${count >= mostCounted ? ' or more' : ''}`
