import { Button } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { useAction } from '../components/use-action.ts'

/** What a push stream authorizes itself with: revealed to whoever proves who they are. */
export function StreamAuthorization({ stream }: { stream: SsfStream }) {
  const [shown, setShown] = useState<string>()
  const reveal = useAction({
    act: () => api('revealStreamAuthorization', { params: { streamId: stream.id } }),
    refresh: ['audit'],
    onDone: ({ authorization_header: value }) => setShown(value ?? undefined),
  })
  return (
    <section className="form-section">
      <h2>Authorization header</h2>
      {shown === undefined ? (
        <p className="secondary">Revealing is recorded in the audit log.</p>
      ) : (
        <CodeBlock text={shown} label="the authorization header" />
      )}
      <div className="form-ends">
        {shown === undefined ? (
          <Button loading={reveal.isPending} onClick={() => reveal.mutate()}>
            Reveal the header
          </Button>
        ) : (
          <Button onClick={() => setShown(undefined)}>Hide</Button>
        )}
      </div>
    </section>
  )
}
