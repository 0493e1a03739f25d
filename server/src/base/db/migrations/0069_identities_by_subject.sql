-- Whose an identifier is, at whichever connection of its issuer it was bound.
create index person_identities_by_subject on person_identities (organization_id, issuer, subject);
