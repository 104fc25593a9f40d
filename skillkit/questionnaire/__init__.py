"""The questionnaire: what is asked, and how an answer is understood."""
