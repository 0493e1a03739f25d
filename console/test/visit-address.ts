import type { Page } from 'playwright-core'

type Router = {
  readonly options: { readonly context: { readonly queryClient: { clear(): void } } }
  readonly history: { push(path: string, state: undefined, options: { ignoreBlocker: boolean }): void }
  subscribe(event: 'onRendered', hear: () => void): () => void
}

/**
 * Shows the page of the console at this address. From another of its pages it is led there as by links, with all that was
 * read forgotten, for half of what loading the document costs; and by way of a page that reads nothing, so that nothing of
 * before is there. The document is loaded where something would be all the same: a toast, a dialog, or a clock that stands.
 */
export async function visitAddress(page: Page, address: string): Promise<void> {
  const isLed = await page
    .evaluate(async (href) => {
      const { __TSR_ROUTER__: router, hasKeptToasts } = globalThis as { __TSR_ROUTER__?: Router; hasKeptToasts?: true }
      if (!router || !href.startsWith(`${location.origin}/console`) || hasKeptToasts) return false
      if (document.querySelector('.toast, [role=dialog], [role=menu]')) return false
      for (const path of ['/console/no/such/page', href.slice(location.origin.length)]) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const stop = router.subscribe('onRendered', resolve)
        router.history.push(path, undefined, { ignoreBlocker: true })
        await promise
        stop()
        if (path.endsWith('/no/such/page')) router.options.context.queryClient.clear()
      }
      return true
    }, address)
    // A page that goes elsewhere meanwhile.
    .catch(() => false)
  if (!isLed) await page.goto(address)
}
