import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadFailure } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { upstreamsQuery } from './connection-queries.ts'

type Parts = {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** The identity provider that signs the people of an application in. */
export function UpstreamField({ value, error, onChange }: Parts) {
  const upstreams = useQuery(upstreamsQuery)
  const none = upstreams.data?.data.length === 0 ? 'None yet' : 'Choose one'
  return (
    <div>
      <NativeSelect
        label="Upstream"
        description="The identity provider that signs people in. It alone says who the person is."
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[
          { value: '', label: none },
          ...(upstreams.data?.data ?? []).map(({ id, name }) => ({ value: id, label: visibleText(name) })),
        ]}
      />
      <LoadFailure what="The upstreams" query={upstreams} />
      <p className="small secondary">
        <Link className="underlined" to="/connections/upstreams/new">
          Add an identity provider
        </Link>
      </p>
    </div>
  )
}
