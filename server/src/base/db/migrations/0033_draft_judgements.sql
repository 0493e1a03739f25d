-- What was said of the fields when they last changed, and their texts as they come out: JSON. Null for a draft that has not
-- changed since this was added; it is judged when it is read.
alter table custom_check_drafts add column judgement text;
