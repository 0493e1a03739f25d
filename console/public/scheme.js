// Before the first paint, so that a dark console never flashes white.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('muster-scheme')
  } catch {}
  const isDark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
})()
