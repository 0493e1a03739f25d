import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import { StreamActions } from './stream-actions.tsx'
import { StreamHead } from './stream-head.tsx'
import { streamsCrumb, WithStream } from './with-stream.tsx'

type Parts = { readonly id: string; readonly isForm?: boolean; readonly children: (stream: SsfStream) => ReactNode }

/** What the pages of a stream have above them. */
export const StreamTab = ({ id, isForm = false, children }: Parts) => (
  <WithStream id={id}>
    {(stream) => (
      <Page
        title={visibleText(stream.name)}
        crumb={streamsCrumb}
        hasOwnTitle
        actions={<StreamActions stream={stream} />}
      >
        <div className="page log-head">
          <StreamHead stream={stream} />
        </div>
        <div className={isForm ? 'page below form-page' : 'page below'}>{children(stream)}</div>
      </Page>
    )}
  </WithStream>
)
