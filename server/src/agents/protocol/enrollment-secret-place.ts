export const enrollmentSecretPurpose = 'enrollment secret'

/** What binds a sealed enrollment secret to its record. */
export const enrollmentSecretPlace = (organizationId: string, id: string): readonly string[] => [
  organizationId,
  id,
  enrollmentSecretPurpose,
]
