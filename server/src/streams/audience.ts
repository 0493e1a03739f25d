/** What the address of a stream within the service is: also the audience of streams that have no other. */
const streamAddress = (baseUrl: string, streamUuid: string): string => `${baseUrl}/ssf_streams/${streamUuid}`

/** Who the tokens of a stream are for (SSF 1.0 §7.1.1, `aud`). */
export const audienceOf = (stream: { audience: string | null; stream_id: string }, baseUrl: string): string =>
  stream.audience ?? streamAddress(baseUrl, stream.stream_id)
