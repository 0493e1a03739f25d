// What the person presses and sends.
import { detailsText } from './browser-facts.js'
import { isTyping } from './keep-place.js'
import { goOtherWay } from './other-way.js'
import { refresh, region, tell } from './region.js'
import { post, refusalOf } from './server-calls.js'

async function copy(button, text) {
  const label = button.lastChild
  const before = label.textContent
  try {
    await navigator.clipboard.writeText(text)
    label.textContent = 'Copied'
    setTimeout(() => {
      label.textContent = before
    }, 2_000)
  } catch {
    tell('The browser does not allow copying. Select the text instead.')
    document.querySelector('#details')?.setAttribute('open', '')
  }
}

export const acts = {
  copy: (button) => copy(button, detailsText()),
  command: (button) => copy(button, button.previousElementSibling.textContent),
  bounce: () => goOtherWay(),
  retry: () => dispatchEvent(new Event('muster-retry')),
  close: (button) => {
    const details = button.closest('details')
    details.open = false
    details.querySelector('summary').focus()
  },
  'open-things': () => {
    for (const details of region().querySelectorAll('.iss')) details.open = true
    region().querySelector('.iss summary')?.focus()
  },
}

/** The refusal stands beside what was asked. */
function sayRefusal(form, text) {
  form.querySelector('.err')?.remove()
  const line = document.createElement('p')
  line.className = 'err'
  line.setAttribute('role', 'alert')
  line.textContent = text
  form.append(line)
}

/** Sends a form, and shows what came of it. */
export async function send(form) {
  const button = form.querySelector('button')
  if (button.getAttribute('aria-disabled')) return
  button.setAttribute('aria-disabled', 'true')
  const response = await post(form.action, Object.fromEntries(new FormData(form))).catch(() => undefined)
  if (!response?.ok) {
    button.removeAttribute('aria-disabled')
    return sayRefusal(form, response ? await refusalOf(response) : 'The server did not answer. Try it again.')
  }
  const asking = form.closest('.asking')
  if (asking) {
    // The form takes the focus with it; its summary is hidden as long as it is open.
    asking.open = false
    asking.querySelector('summary').focus()
  } else if (isTyping()) button.focus()
  await refresh({ isForced: true })
}
