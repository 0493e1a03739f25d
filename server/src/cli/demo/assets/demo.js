// The start page: what changes is asked for while somebody looks.
const everyMs = 2_000
const shown = new Map()

async function refresh() {
  const response = await fetch('/live', { headers: { accept: 'application/json' } })
  if (!response.ok) return
  for (const [id, text] of Object.entries(await response.json())) {
    if (shown.get(id) === text) continue
    shown.set(id, text)
    const focused = document.activeElement?.id
    const place = document.getElementById(id)
    place.innerHTML = text
    if (focused && place.querySelector(`#${focused}`)) document.getElementById(focused).focus()
  }
}

async function follow() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    if (document.visibilityState === 'visible') await refresh().catch(() => undefined)
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh().catch(() => undefined)
})
void follow()
