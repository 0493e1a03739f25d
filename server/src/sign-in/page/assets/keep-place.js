// What a person is doing in the region outlives its replacement: a press, the focus, what is open and written.

const held = new Set()
const letGo = []
/** A tap becomes a click a moment after the finger has left. */
const clickMs = 120

function release(what) {
  if (!held.has(what)) return
  setTimeout(() => {
    held.delete(what)
    if (held.size > 0) return
    for (const resolve of letGo.splice(0)) resolve()
  }, clickMs)
}

const isInRegion = (target) => target instanceof Element && target.closest('#region') !== null

addEventListener('pointerdown', ({ target, pointerId }) => isInRegion(target) && held.add(pointerId), true)
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, ({ pointerId }) => release(pointerId), true)
// Enter presses at once, the space bar when it is let go.
addEventListener('keydown', ({ target, key }) => key === ' ' && isInRegion(target) && held.add(key), true)
addEventListener('keyup', ({ key }) => release(key), true)
addEventListener('blur', () => {
  for (const what of held) release(what)
})

export const isPressed = () => held.size > 0
/** When nothing in the region is pressed any more, and what the press did is done. */
export const whenReleased = () => new Promise((resolve) => letGo.push(resolve))

const typed = () => {
  const field = document.activeElement
  return field?.matches('#region textarea') ? field : undefined
}
export const isTyping = () => typed() !== undefined
/** Words that would be lost if the page became another one. */
export const isWriting = () => (typed()?.value ?? '').trim() !== ''

const pressable = 'a, button, summary, textarea'

/** How the element with the focus is found again: by its id, else by its words near an id. */
function findAgain(focused, to) {
  if (focused.id) return to.querySelector(`#${focused.id}`)
  const near = focused.parentElement.closest('[id]')
  const place = near.id === 'region' ? to : to.querySelector(`#${near.id}`)
  const isSame = (one) => one.tagName === focused.tagName && one.textContent === focused.textContent
  return [...(place?.querySelectorAll(pressable) ?? [])].find(isSame)
}

/** Where it was, as far as that is still there. */
function findNear(focused, to) {
  for (let at = focused.closest('details[id]'); at; at = at.parentElement.closest('details[id]')) {
    const summary = to.querySelector(`#${at.id} > summary`)
    if (summary) return summary
  }
  return undefined
}

/** Copies what the person opened and wrote; what is written is never hidden. Returns what puts the focus back. */
export function keepPlace(from, to, isSameState) {
  for (const details of isSameState ? from.querySelectorAll('details[id]') : []) {
    const next = to.querySelector(`#${details.id}`)
    if (next) next.open = details.open
  }
  for (const field of from.querySelectorAll('textarea[id]')) {
    const next = to.querySelector(`#${field.id}`)
    if (!next || field.value === '') continue
    next.value = field.value
    for (let at = next.closest('details'); at && !isSameState; at = at.parentElement.closest('details')) at.open = true
  }
  const focused = from.contains(document.activeElement) ? document.activeElement : undefined
  const selection = focused?.matches('textarea') && [focused.selectionStart, focused.selectionEnd]
  return () => {
    const again = focused && findAgain(focused, to)
    const title = to.querySelector('h1')
    if (!isSameState) return title.focus()
    if (focused) (again ?? findNear(focused, to) ?? title).focus({ preventScroll: Boolean(again) })
    if (again && selection) again.setSelectionRange(...selection)
  }
}
