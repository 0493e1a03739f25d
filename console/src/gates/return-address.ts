import type { ParsedLocation } from '@tanstack/react-router'

const start = '/console/'

/** Tells the page of the sign-in where someone wanted to go: the address as the browser shows it. */
export const returnTo = ({ publicHref }: Pick<ParsedLocation, 'publicHref'>): { next?: string } =>
  publicHref === start || publicHref === '/console' ? {} : { next: publicHref }

/** Where someone goes after signing in: only to a page of the console, as anyone may write a link to the sign-in. */
export const returnAddress = (next: string | undefined): string =>
  next !== undefined && /^\/console(\/(?!\/)[^\\]*)?$/.test(next) ? next : start
