export type SchemeWish = 'light' | 'dark' | 'auto'

const key = 'muster-scheme'

export function schemeWish(): SchemeWish {
  const kept = localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

/** Kept in this browser; public/scheme.js reads it before the first paint. */
export function chooseScheme(wish: SchemeWish): void {
  if (wish === 'auto') localStorage.removeItem(key)
  else localStorage.setItem(key, wish)
  const isDark = wish === 'dark' || (wish === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light'
}
