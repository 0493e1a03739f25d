import { type Html, html } from '../../http/page/html.ts'
import type { Drawn, PageView } from './page-view.ts'
import { counted, time } from './plain-words.ts'

/** What the person reads after a code from IT was accepted. */
export function drawBypassed({ applicationName, code, finishUrl }: PageView): Drawn {
  return {
    title: 'Your code was accepted',
    tab: `Open ${applicationName}`,
    lead: html`It opens ${applicationName} once, without the check.${
      code?.endsAt ? html` It ends ${time(code.endsAt, 'day')}.` : ''
    } IT’s reason, “${code?.reason ?? ''}”, and this sign-in are in your history.`,
    buttons: html`<a class="btn p" href="${finishUrl}">Open ${applicationName}</a>`,
  }
}

/** The form for a code from IT, as a page of its own: it needs no script. `isWrong`: the one that was sent did not match. */
export function drawCodeForm({ id, applicationName, code }: PageView, { isWrong }: { isWrong: boolean }): Drawn {
  const left = code?.triesLeft ?? null
  const isSpent = left === 0
  return {
    title: 'Enter your code from IT',
    tab: 'Enter your code from IT',
    lead: `It opens ${applicationName} once, without the check.`,
    content: isSpent
      ? html`<p role="alert" class="err">You tried too many codes. Try again in an hour, or ask IT.</p>`
      : html`<form method="post" action="/signin/${id}/code" id="code-form" class="list"><label class="label" for="code">10-character code</label>
<input id="code" name="code" class="field code" required maxlength="20" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" autofocus${
          isWrong && html` aria-invalid="true" aria-describedby="code-fault"`
        }>${isWrong && left !== null && html`<p id="code-fault" role="alert" class="err">That code doesn’t match. ${triesLeft(left)}</p>`}</form>`,
    buttons: html`${!isSpent && html`<button class="btn p" form="code-form">Open ${applicationName}</button>`}<a class="btn" href="/signin/${id}">Back to the check</a>`,
  }
}

const triesLeft = (left: number): string => `${counted(left, 'try', 'tries')} left.`

/** Where the form is, for a person who may have a code. */
export const codeLink = ({ id, code }: PageView, { isButton = false } = {}): Html | false =>
  code !== null &&
  code.reason === null &&
  html`<a class="${isButton ? 'btn' : 'lk'}" href="/signin/${id}/code">Enter a code from IT</a>`
