// Before the first paint, so that a dark console never flashes white.
;(() => {
  let wish = null
  try {
    wish = localStorage.getItem('muster-scheme')
  } catch {}
  const isDark = wish === 'dark' || (wish !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
})()
