type Addressed = { audience: string | null; stream_id: string }

/** What the address of a stream within the service is: also the audience of streams that have no other. */
export const streamAddress = (baseUrl: string, streamUuid: string): string => `${baseUrl}/ssf_streams/${streamUuid}`

/** Who the tokens of a stream are for (SSF 1.0 §7.1.1, `aud`). */
export const audienceOf = (stream: Addressed, baseUrl: string): string =>
  stream.audience ?? streamAddress(baseUrl, stream.stream_id)

type Recorded = Addressed & { spec_version: 'v1_0' | 'draft'; endpoint_url: string | null }

/** What its record shows: those that the legacy body made for polling show none. */
export const recordAudience = (stream: Recorded, baseUrl: string): string | null =>
  stream.audience === null && stream.spec_version === 'draft' ? null : audienceOf(stream, baseUrl)

/** Whether the service gave it, so that its receiver may not change it. */
export const isAssigned = ({ audience, stream_id, endpoint_url }: Recorded, baseUrl: string): boolean =>
  audience === null || audience === endpoint_url || audience === streamAddress(baseUrl, stream_id)
