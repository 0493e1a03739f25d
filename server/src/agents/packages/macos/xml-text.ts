const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text or the value of an attribute between double quotes, of XML. */
export const xmlText = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => escapes[letter] ?? '')
