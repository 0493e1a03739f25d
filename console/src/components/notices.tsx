import { Button } from '@mantine/core'
import type { GuideName } from '@muster/contract/guides.ts'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { GuideLink } from './guide-link.tsx'
import './notices.css'

/** What could not be done, in the server's words. */
export function Failure({ what, error, onRetry }: { what: string; error: unknown; onRetry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <div className="notice" role="alert">
      <div className="grow">
        <div>
          <b className="medium">{what}</b> {error instanceof Error ? error.message : String(error)}
        </div>
        {requestId !== undefined && (
          <div className="small faint">
            Request <code>{requestId}</code>
          </div>
        )}
      </div>
      {onRetry && (
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

type Query = { readonly isError: boolean; readonly data: unknown; readonly error: unknown; refetch(): unknown }

/** Of a query that failed before it had anything to show; `what` as in "The reasons". */
export function LoadFailure({ what, query }: { what: string; query: Query }) {
  if (!query.isError || query.data !== undefined) return null
  return <Failure what={`${what} could not be loaded.`} error={query.error} onRetry={() => void query.refetch()} />
}

/** Nothing to show, and why: what will be here, or how to see more. */
type EmptinessParts = {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  /** What explains it. */
  readonly guide?: GuideName
}

export function Emptiness({ title, children, action, guide }: EmptinessParts) {
  return (
    <div className="notice">
      <div className="grow">
        <b className="medium">{title}</b> {children} {guide && <GuideLink name={guide}>Learn more</GuideLink>}
      </div>
      {action}
    </div>
  )
}

/** Rows where the real ones will be; shown after 200 ms by the style sheet. */
export function SkeletonRows({ rows = 6 }: { rows?: number }) {
  return (
    <div className="skeletons" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div className="skeleton-row" key={row}>
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  )
}
