export type SchemeChoice = 'light' | 'dark' | 'auto'

const key = 'muster-scheme'

export function schemeChoice(): SchemeChoice {
  const kept = localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

/** A page that is open follows the system, where nothing else was chosen. */
export function followSystemScheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (schemeChoice() === 'auto') chooseScheme('auto')
  })
}

/** Kept in this browser; public/scheme.js reads it before the first paint. */
export function chooseScheme(choice: SchemeChoice): void {
  if (choice === 'auto') localStorage.removeItem(key)
  else localStorage.setItem(key, choice)
  const isDark = choice === 'dark' || (choice === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light'
}
