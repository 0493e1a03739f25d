// The start page: what changes is asked for while somebody looks.
const everyMs = 2_000
const shown = new Map()

const { probe } = document.querySelector('[data-probe]').dataset
const reaches = (address) =>
  fetch(address, { mode: 'no-cors', cache: 'no-store', credentials: 'omit' }).then(
    () => true,
    () => false,
  )
/** Only the address of the demo may be forwarded to a browser on another computer, which has none of its agents. */
const isHere = await reaches(probe)

async function refresh() {
  const response = await fetch(`${location.pathname}/live${isHere ? '' : '?elsewhere'}`)
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
    if (document.visibilityState === 'visible') await refresh().catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh().catch(() => undefined)
})
void follow()
