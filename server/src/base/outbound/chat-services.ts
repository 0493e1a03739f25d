type ChatService = { readonly name: string; readonly host: RegExp; readonly path?: RegExp }

/** Where chat services take messages. */
const chatServices: readonly ChatService[] = [
  { name: 'Slack', host: /^hooks\.slack(?:-gov)?\.com$/ },
  { name: 'Microsoft Teams', host: /(?:^|\.)webhook\.office\.com$/ },
  { name: 'Google Chat', host: /^chat\.googleapis\.com$/ },
  { name: 'Discord', host: /^(?:[a-z]+\.)?discord(?:app)?\.com$/, path: /^\/api\/(?:v\d+\/)?webhooks(?:\/|$)/ },
]

/**
 * Why a newly written address of a receiver is of no use, as a sentence: it is one where a chat service takes messages of its own
 * format. Undefined for any other address.
 */
export function faultOfChatService(address: string): string | undefined {
  const url = URL.parse(address)
  const found =
    url && chatServices.find(({ host, path }) => host.test(url.hostname) && (path?.test(url.pathname) ?? true))
  if (!found) return undefined
  const { name } = found
  return `${name} cannot read these requests: it takes messages in its own format, and does not verify signatures. Send to a program of yours that posts to ${name}.`
}
