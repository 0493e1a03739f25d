/** Whether the secret before the present one signs as well. */
export const overlaps = ({ previous_secret_until: until }: { previous_secret_until: string | null }, now: string) =>
  until !== null && until > now
