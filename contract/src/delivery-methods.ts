/** How a stream is delivered: RFC 8935 (push) and RFC 8936 (poll). */
export const deliveryMethods = { push: 'urn:ietf:rfc:8935', poll: 'urn:ietf:rfc:8936' } as const
