// Times in the person's own zone.
const english = navigator.languages?.find((language) => /^en\b/.test(language)) ?? 'en-US'
const format = (options) => new Intl.DateTimeFormat(english, options)
const dayOf = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

/** 8:47 PM; or tomorrow, 8:47 PM; Sunday, 8:47 PM; Sun, Nov 22, 8:47 PM. */
function inWords(date, form, now = new Date()) {
  const clock = format({ hour: 'numeric', minute: '2-digit' }).format(date).replace('\u202f', '\u00a0')
  if (form === 'clock') return clock
  const days = Math.round((dayOf(date) - dayOf(now)) / 86_400_000)
  if (Math.abs(days) < 2) return `${['yesterday', 'today', 'tomorrow'][days + 1]}, ${clock}`
  const day = days > 0 && days < 7 ? { weekday: 'long' } : { weekday: 'short', month: 'short', day: 'numeric' }
  return `${format(day).format(date)}, ${clock}`
}

export function tellTimes(root) {
  for (const time of root.querySelectorAll('time')) {
    time.textContent = inWords(new Date(time.dateTime), time.dataset.form)
  }
}
