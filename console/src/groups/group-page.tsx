import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly group: UseQueryResult<{ readonly name: string }>
  readonly id: string
  readonly crumb: { readonly to: '/groups/devices' | '/groups/people'; readonly text: string }
  readonly count: number | undefined
  readonly one: string
  readonly many: string
  readonly note: string
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** Head of a group, of devices or of people; its members stand below. */
export function GroupPage({ group, id, crumb, count, one, many, note, actions, children }: Parts) {
  const size = count === undefined ? '' : count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`
  return (
    <RecordPage record={group} nouns={['group', 'groups']} id={id} crumb={crumb}>
      {(data) => {
        const name = visibleText(data.name)
        return (
          <Page title={name} crumb={crumb} hasOwnTitle actions={actions}>
            <div className="page log-head">
              <h1 tabIndex={-1} className="ellipsis" title={name}>
                {name}
              </h1>
              <p className="secondary">{[size, visibleText(note)].filter(Boolean).join(' · ')}</p>
            </div>
            {children}
          </Page>
        )
      }}
    </RecordPage>
  )
}
