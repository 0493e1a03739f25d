import { html } from '../../http/page/html.ts'
import type { Drawn, PageView } from './page-view.ts'
import { possessive } from './plain-words.ts'

type Words = { title: string; lead: string; button: string }

/** What a person does next, by why the upstream's answer named nobody. */
const words: Readonly<Record<string, (name: string, view: PageView) => Words>> = {
  unavailable: (name, { applicationName }) => ({
    title: `${name} isn’t answering`,
    lead: `Nothing is lost: try again, and ${applicationName} opens as usual.`,
    button: 'Try again',
  }),
  refused: (name, { kind }) => ({
    title: `${possessive(name)} answer can’t be used`,
    lead: `Try once more. If it stays this way, give IT the help code below: they have to look at ${name}, not at your ${kind}.`,
    button: 'Try again',
  }),
  tenant: wrongAccount,
  domain: wrongAccount,
  unverified: (name, { organizationName }) => ({
    title: 'Your address isn’t verified yet',
    lead: `${name} has not confirmed your e-mail address. Confirm it there, or ask IT at ${organizationName}, then try again.`,
    button: 'Try again',
  }),
  no_address: (name) => ({
    title: `${name} didn’t send your address`,
    lead: `IT has to let ${name} share e-mail addresses with Muster.`,
    button: 'Try again',
  }),
}

function wrongAccount(name: string, { organizationName }: PageView): Words {
  return {
    title: `Use your ${organizationName} account`,
    lead: `You signed in to ${name} with an account that isn’t ${possessive(organizationName)}. Choose the other one.`,
    button: 'Choose another account',
  }
}

/** The words for a person who has not signed in at the upstream yet, or has to do it again. */
export function identifyingWords(view: PageView): Words {
  const { upstream, applicationName } = view
  const name = upstream?.name ?? 'Your identity provider'
  return (
    words[upstream?.failure ?? '']?.(name, view) ?? {
      title: `Sign in with ${name}`,
      lead: `Then ${applicationName} opens.`,
      button: 'Continue',
    }
  )
}

/** The page with these words. */
export function drawIdentifying(view: PageView): Drawn {
  const { id, applicationName } = view
  const { title, lead, button } = identifyingWords(view)
  return {
    title,
    lead,
    buttons: html`<form method="post" action="/signin/${id}/identify"><button class="btn p">${button}</button></form>
<form method="post" action="/signin/${id}/cancel"><button class="btn">Back to ${applicationName}</button></form>`,
  }
}
