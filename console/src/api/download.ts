/**
 * Hands a file of the server to the browser. It is asked for by the page first, so that a refusal is said here, and a proof of
 * identity asked for where the server wants one.
 */
export function saveFile(file: Blob, fileName: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  document.body.append(link)
  link.click()
  link.remove()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
