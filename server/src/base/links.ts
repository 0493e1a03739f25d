import type { Link } from '@muster/contract/schema-kit.ts'

export type Links = ReturnType<typeof linksFor>

/** Links to records of this API, made with the configured origin and never with the Host header. */
export function linksFor(baseUrl: string) {
  const linkTo = (collection: string) => {
    const prefix = `${baseUrl}/${collection}/`
    return (id: string | null): Link => (id === null ? none : { identifier: id, link: prefix + id })
  }
  return {
    baseUrl,
    /** The address of a path such as `/auth_logs/12`. */
    url: (path: string): string => baseUrl + path,
    device: linkTo('devices'),
    person: linkTo('people'),
    check: linkTo('checks'),
    issue: linkTo('issues'),
    none,
  }
}

type Addressed = { readonly baseUrl?: string | null }

const maxCached = 1_000

/** Links by the base address of a caller's organization; `common` where it has none of its own. */
export function linkCache(common: Links): (caller: Addressed | undefined) => Links {
  const cache = new Map<string, Links>()
  return (caller) => {
    const { baseUrl } = caller ?? {}
    if (!baseUrl) return common
    const links = cache.get(baseUrl) ?? linksFor(baseUrl)
    if (cache.size >= maxCached) cache.clear()
    cache.set(baseUrl, links)
    return links
  }
}

/** Nothing is linked. */
const none: Link = Object.freeze({ identifier: '', link: null })
