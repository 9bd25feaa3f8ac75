"""Mail addresses, telephone and card numbers, IBANs, IP addresses and keys: found, counted, masked or refused.

Found by shape and by check digits. Names and street addresses need a language model and are not looked for.
"""
