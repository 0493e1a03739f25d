const special: Readonly<Record<string, string>> = {
  aud: 'audience',
  email: 'e-mail',
  id: 'ID',
  ids: 'IDs',
  pkce: 'PKCE',
  sql: 'SQL',
  uris: 'URIs',
  url: 'URL',
}

/** `delivery/endpoint_url` as "Delivery endpoint URL", and `redirect_uris/0` as "Redirect URIs". Blank for the whole body. */
export function fieldInWords(field: string): string {
  const words = field
    .split('/')
    .filter((part) => !/^\d*$/.test(part))
    .flatMap((part) => part.split('_'))
    .map((word) => special[word] ?? word)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
